import { AppError, answeredTypes, isOwnOperation } from '@latchkey/kernel';
import { wishFor } from '../negotiate.ts';
import type { Visit } from '../visit.ts';

/** Validates parameters and body by the contract, before the verb runs. */
export function parseInput(visit: Visit): void {
  refuseCodedBody(visit);
  refuseOtherTypes(visit);
  visit.input = visit.compiled.readParams(visit.request);
  if (visit.operation.body !== undefined) {
    const { value, warnings } = visit.compiled.readBody(visit.request);
    visit.input.body = value;
    visit.warnings = warnings;
  }
  visit.idempotencyKey = readIdempotencyKey(visit);
}

/** A compressed body would be taken for its bytes. Nothing here decodes one, so that none can grow without limit. */
function refuseCodedBody({ operation, request, reply }: Visit): void {
  const coding = request.headers['content-encoding'];
  if (operation.body === undefined || coding === undefined || /^identity$/i.test(coding)) return;
  // RFC 9110, 12.5.3: this is how a server names the codings that it does accept.
  reply.header('accept-encoding', 'identity');
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.');
}

/** Published operations answer in their one type whatever a client accepts, as existing clients expect. */
function refuseOtherTypes({ operation, request }: Visit): void {
  const types = answeredTypes[operation.answer.kind];
  const { accept } = request.headers;
  if (!isOwnOperation(operation) || types.length === 0 || types.some((type) => wishFor(accept, type) > 0)) return;
  throw new AppError('NOT_ACCEPTABLE', `This operation responds with ${types.join(' or ')}. Accept that type.`);
}

function readIdempotencyKey({ operation, request }: Visit): string | undefined {
  const key = request.headers['idempotency-key'];
  if (operation.contract.repeatable !== true || key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError(
      'INVALID_IDEMPOTENCY_KEY',
      'The Idempotency-Key must be 1 to 255 printable characters without spaces.',
    );
  }
  return key;
}
