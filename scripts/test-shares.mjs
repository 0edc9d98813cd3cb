import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const recordFile = 'scripts/test-seconds.json';
const worthRecordingSeconds = 1;
/** For a file that is new, or quicker than what is worth recording. */
const usualSeconds = 0.3;

/** @typedef {Record<string, number>} FileSeconds how long the tests of a file took when it was last recorded */

/** @typedef {{ seconds: number, files: string[] }} Share */

/**
 * Deals files to processes so that all end at about the same time: the longest first, each to whoever has least to do.
 * The files of a folder stay together: they share what one of them has set up, and where one kills servers or measures
 * delays, so do its neighbours, and two of those must not meet. Only a folder that is more than a share is taken apart.
 * @param {string[]} files
 * @param {FileSeconds} recorded
 * @param {number} count
 * @returns {string[][]} sorted by path; fewer than `count` when there are fewer folders
 */
export function dealFiles(files, recorded, count) {
  const secondsOf = (/** @type {string} */ file) => recorded[file] ?? usualSeconds;
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0);
  const parts = gather(files, dirname, secondsOf).flatMap((folder) =>
    folder.seconds > total / count ? gather(folder.files, (file) => file, secondsOf) : [folder],
  );
  /** @type {Share[]} */
  const shares = Array.from({ length: count }, () => ({ seconds: 0, files: [] }));
  for (const part of parts.sort((a, b) => b.seconds - a.seconds)) {
    const share = shares.reduce((least, other) => (other.seconds < least.seconds ? other : least));
    share.files.push(...part.files);
    share.seconds += part.seconds;
  }
  return shares.map((share) => share.files.sort()).filter((share) => share.length > 0);
}

/**
 * @param {string[]} files
 * @param {(file: string) => string} keyOf
 * @param {(file: string) => number} secondsOf
 * @returns {Share[]}
 */
function gather(files, keyOf, secondsOf) {
  /** @type {Map<string, Share>} */
  const parts = new Map();
  for (const file of files) {
    const part = parts.get(keyOf(file)) ?? { seconds: 0, files: [] };
    part.seconds += secondsOf(file);
    part.files.push(file);
    parts.set(keyOf(file), part);
  }
  return [...parts.values()];
}

/**
 * @param {string} root
 * @returns {FileSeconds} empty when there is no readable record
 */
export function readFileSeconds(root) {
  try {
    return JSON.parse(readFileSync(join(root, recordFile), 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Records how long files took. What was not run keeps its record, a file that is gone loses it.
 * @param {string} root
 * @param {{ file: string, ms: number }[]} took
 * @param {string[]} allFiles
 * @returns {string} the file written, as a path inside the clone
 */
export function recordFileSeconds(root, took, allFiles) {
  const measured = Object.fromEntries(took.map(({ file, ms }) => [file, Math.round(ms / 1_000)]));
  const seconds = { ...readFileSeconds(root), ...measured };
  const kept = allFiles.flatMap((file) => {
    const known = seconds[file];
    return known === undefined || known < worthRecordingSeconds ? [] : [[file, known]];
  });
  writeFileSync(join(root, recordFile), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  return recordFile;
}
