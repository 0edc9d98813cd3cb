/** One outgoing HTTP request to a URL chosen by a party outside this installation. */
export interface EgressRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The time limit for the whole exchange: name resolution, connection, headers and body. */
  timeoutMs?: number;
  maxResponseBytes?: number;
  signal?: AbortSignal;
}

export interface EgressResponse {
  status: number;
  /** Names in lower case; repeated headers are joined with a comma. */
  headers: Record<string, string>;
  body: Uint8Array;
}

/** The only way to call URLs chosen by users. Redirects are returned like any other response and never followed. */
export interface Egress {
  /** Throws `EgressRefused` if the target is not allowed and `EgressFailed` if the exchange did not finish. */
  send(request: EgressRequest): Promise<EgressResponse>;
}

export type EgressRefusal = 'bad_url' | 'scheme' | 'userinfo' | 'port' | 'host' | 'address' | 'header';

/** The request was not sent because its target is not allowed. The message contains no path, query or user info. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly reason: EgressRefusal;

  constructor(reason: EgressRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type EgressFailure = 'timeout' | 'connect' | 'too_large' | 'protocol';

/** The target is allowed, but no complete response was received. The message contains no path, query or user info. */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed';
  readonly kind: EgressFailure;

  constructor(kind: EgressFailure, message: string) {
    super(message);
    this.kind = kind;
  }
}
