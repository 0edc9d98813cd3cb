/** A call that Telegram understood and does not do. */
export class RpcRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
