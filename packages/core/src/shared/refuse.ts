import { AppError } from '@latchkey/kernel';

/**
 * The error for a value in a body that a schema alone cannot validate. `message` continues after the path: "must be …".
 */
export function refuse(path: string, message: string, code = 'rule'): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, { details: [{ path, code, message }] });
}
