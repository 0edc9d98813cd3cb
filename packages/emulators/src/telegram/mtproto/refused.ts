/** Telegram understood a call and refused it. */
export class RpcRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
