import { join } from 'node:path';
import { explainEnd, FileTally, takePart } from './file-tally.mjs';
import { followProcess } from './follow-process.mjs';

/** @typedef {import('./follow-process.mjs').Limits} Limits */
/** @typedef {{ root: string, path: string, name?: string, signal: AbortSignal, limits: Limits }} FileOrder */

/**
 * Runs one test file with Node's own runner, in a process of its own, and counts what comes of it. Whatever happens to
 * that process, this answers.
 * @param {FileOrder} order
 * @returns {Promise<FileTally>}
 */
export async function runFile({ root, path, ...order }) {
  const file = new FileTally();
  const program = join(root, path);
  const { error, silentMs, tookMs, cpuSeconds } = await followProcess({ root, program, ...order }, (type, data) =>
    takePart(root, path, file, type, data),
  );
  const text = explainEnd(file, error, silentMs);
  if (text) file.failures.push({ title: 'the file', where: path, text });
  return Object.assign(file, { tookMs, cpuSeconds });
}
