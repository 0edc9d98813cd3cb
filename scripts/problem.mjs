/** A problem that the user can fix. Its message is printed without a stack. */
export class Problem extends Error {}

/**
 * Explains why a folder of the clone could not be written, or returns the error unchanged.
 * @param {unknown} error
 * @returns {unknown}
 */
export function explainFileError(error) {
  const { code, path } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new Problem(`${path} cannot be written. Run the command as the user who owns this clone.`);
  if (code === 'ENOSPC') return new Problem('The disk is full. Free about 1 GB and run the command again.');
  return error;
}
