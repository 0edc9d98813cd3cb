// Runs one task of this project: `node scripts/run.mjs <task> [arguments]`. Every npm script uses it. It imports the rest only after
// checking Node's version, so that an old Node prints a message, not a syntax error.
const oldestMajor = 20;

if (Number(process.versions.node.split('.')[0]) < oldestMajor) {
  console.error(
    `This machine's Node.js is ${process.versions.node}; Latchkey needs ${oldestMajor} or later to set itself up. ` +
      'Install a newer one, for example from nodejs.org, and run the command again.',
  );
  process.exitCode = 1;
} else {
  import('./tasks.mjs')
    .then(({ runTask }) => runTask(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    });
}
