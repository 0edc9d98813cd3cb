import { readFileSync } from 'node:fs';

// Loaded into a process before its own code: shifts its clock by the milliseconds in a file, like a step of the system
// clock. Timers and `performance` are unaffected, as by a real step.
const checkEveryMs = 100;
const file = process.env.LATCHKEY_TEST_CLOCK_FILE ?? '';
const TrueDate = Date;
let wrongByMs = 0;

const now = () => TrueDate.now() + wrongByMs;

setInterval(() => {
  try {
    wrongByMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // It is being written, or was deleted with the test.
  }
}, checkEveryMs).unref();

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
