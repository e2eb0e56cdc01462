// Before any module of the canvas: what tests/web/node.py says that it shares with Python.
globalThis.autodiff_viz_shared = JSON.parse(process.env.AUTODIFF_VIZ_SHARED ?? "null");
if (!globalThis.autodiff_viz_shared) throw new Error("Run these tests by tests/web/run.py: they need Python's constants.");
