import { AppError } from '@latchkey/kernel';

/** One place of a body that a schema cannot judge alone. `message` goes on after the place: "must be …". */
export function refuse(path: string, message: string, code = 'rule'): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, { details: [{ path, code, message }] });
}
