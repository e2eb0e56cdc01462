// Runs the test files that are named, all in one process: `node all.mjs file:///...`. `node --test` starts one for each.
for (const file of process.argv.slice(2)) await import(file);
