import { AppError } from '@latchkey/kernel';

/** Whether an address may be called at all is decided when it is: see the rules for outgoing calls. */
export function checkAddress(path: string, value: string): void {
  const url = URL.parse(value);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  const isFine = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (!isFine || url?.username !== '' || url.password !== '')
    throw wrong(path, 'must be an absolute https address, or http on this machine, without a user name');
}

/** An address that others are made from by adding to its end. */
export function checkBase(path: string, value: string): void {
  checkAddress(path, value);
  if (/[?#]/.test(value)) throw wrong(path, 'must not have a query or a fragment');
}

export function wrong(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'address', message }],
  });
}
