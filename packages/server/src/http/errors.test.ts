import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import { errorBody, toAppError } from './errors.ts';

const withCode = (code: string, message = 'a secret of the inside') => Object.assign(new Error(message), { code });

test('errors outside the modules have one of our codes', () => {
  const cases: [unknown, ErrorCode][] = [
    [new AppError('STATE_CONFLICT', 'It cannot become that.'), 'STATE_CONFLICT'],
    [withCode('FST_ERR_CTP_BODY_TOO_LARGE'), 'BODY_TOO_LARGE'],
    [withCode('FST_ERR_MAX_PARAM_LENGTH'), 'URI_TOO_LONG'],
    [withCode('FST_ERR_BAD_URL'), 'INVALID_PARAMETER_VALUE'],
    [withCode('57P01'), 'UNAVAILABLE'],
    [Object.assign(withCode('ENOENT'), { syscall: 'connect' }), 'UNAVAILABLE'],
    [Object.assign(withCode('ENOENT'), { syscall: 'open' }), 'INTERNAL_ERROR'],
    [withCode('23503', 'insert or update on table "secret" violates foreign key constraint "a"'), 'STATE_CONFLICT'],
    [withCode('23503', 'update or delete on table "secret" violates foreign key constraint "a"'), 'INTERNAL_ERROR'],
    [withCode('42601'), 'INTERNAL_ERROR'],
    [new TypeError('a secret of the inside'), 'INTERNAL_ERROR'],
    ['a secret of the inside', 'INTERNAL_ERROR'],
    [undefined, 'INTERNAL_ERROR'],
  ];
  for (const [error, code] of cases) {
    const mapped = toAppError(error);
    assert.equal(mapped.code, code);
    assert.ok(!JSON.stringify(errorBody(mapped)).includes('secret'));
  }
});

test('a client that disconnects in the middle of a body is not mistaken for a database outage', () => {
  assert.equal(toAppError(withCode('ECONNRESET', 'aborted')).code, 'INVALID_BODY');
  assert.equal(toAppError(withCode('ECONNRESET', 'read ECONNRESET')).code, 'UNAVAILABLE');
});
