/** One plain-text message to one email address. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The same id on every try of one message, so that mail servers and clients can drop duplicates. */
  messageId?: string;
}

export interface Mailer {
  /** Resolves once the mail server has accepted the message, and throws `MailFailed` otherwise. */
  send(mail: Mail): Promise<void>;
  /** Signs in to the mail server without sending anything. Absent where none is configured. */
  tryOut?(): Promise<void>;
}

/** The message was not accepted. Contains neither the mail server's password nor the message's text. */
export class MailFailed extends Error {
  override readonly name = 'MailFailed';
  /** Whether the same message may be accepted later. */
  readonly retryable: boolean;

  constructor(message: string, { retryable }: { retryable: boolean }) {
    super(message);
    this.retryable = retryable;
  }
}
