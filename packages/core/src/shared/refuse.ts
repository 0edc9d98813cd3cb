import { AppError } from '@latchkey/kernel';

/**
 * The error for a value in a body that a schema alone cannot validate. `message` continues after the path: "must be …".
 * An empty path is the whole body.
 */
export function refuse(path: string, message: string, code = 'rule'): AppError {
  const where = path === '' ? 'The body' : `The body at ${path}`;
  return new AppError('VALIDATION_FAILED', `${where} ${message}.`, { details: [{ path, code, message }] });
}
