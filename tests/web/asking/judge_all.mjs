// Judges the answers of a file of tables, for tests/asking: `node judge_all.mjs FILE` prints what was said to each.
import { readFileSync } from "node:fs";
import { judged } from "../../../autodiff_viz/web/asking/judge.js";

const asked = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const told = asked.map(({ table, text }) => {
  const { judgement, unread } = judged(table, text);
  return judgement ?? unread;
});
process.stdout.write(JSON.stringify(told));
