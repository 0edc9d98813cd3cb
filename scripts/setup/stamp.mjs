import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

// A stamp records what a finished install was made from. It is removed before the install and written after it, so a missing or different
// stamp means: not done, half done, or done for something else.

/**
 * @param {string} file
 * @returns {string}
 */
export function fileHash(file) {
  return textHash(readFileSync(file));
}

/**
 * @param {string | Buffer} text
 * @returns {string}
 */
export function textHash(text) {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * @param {string} file
 * @returns {Record<string, unknown>} empty when there is no readable stamp
 */
export function readStamp(file) {
  try {
    const stamp = JSON.parse(readFileSync(file, 'utf8'));
    return typeof stamp === 'object' && stamp !== null ? stamp : {};
  } catch {
    return {};
  }
}

/**
 * @param {string} file
 * @param {Record<string, string>} stamp
 */
export function writeStamp(file, stamp) {
  writeFileSync(`${file}.new`, `${JSON.stringify(stamp, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/**
 * @param {Record<string, unknown>} found
 * @param {Record<string, string>} wanted
 */
export function stampSays(found, wanted) {
  return Object.entries(wanted).every(([name, value]) => found[name] === value);
}
