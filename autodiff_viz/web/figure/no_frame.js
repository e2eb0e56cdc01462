// @ts-check
// Say that a figure is no frame of the lab: its host decides nothing about it.

export const FRAME = null;
export const may = () => true;
export const mayEdit = may;
