type Kind = 'HANDLER_ERROR' | 'REQUEST_VALIDATION_ERROR' | 'INTERNAL_ERROR';

const codes = { HANDLER_ERROR: -32000, REQUEST_VALIDATION_ERROR: -32602, INTERNAL_ERROR: -32000 } as const;

/** An error in the format of a node. */
export class RpcError extends Error {
  readonly written: unknown;

  constructor(kind: Kind, cause: string, info: unknown, data: unknown = info) {
    super(cause);
    const isUnknownMethod = cause === 'METHOD_NOT_FOUND';
    this.written = {
      name: kind,
      cause: { name: cause, info },
      code: isUnknownMethod ? -32601 : codes[kind],
      message: isUnknownMethod
        ? 'Method not found'
        : kind === 'REQUEST_VALIDATION_ERROR'
          ? 'Invalid params'
          : 'Server error',
      data,
    };
  }
}

export function parseError(message: string): RpcError {
  return new RpcError('REQUEST_VALIDATION_ERROR', 'PARSE_ERROR', { error_message: message });
}

export function handlerError(cause: string, info: unknown, data: unknown = info): RpcError {
  return new RpcError('HANDLER_ERROR', cause, info, data);
}
