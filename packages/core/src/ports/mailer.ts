/** One plain-text message to one mailbox. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The same id on every try of one message, so that mail servers and readers can drop a repetition. */
  messageId?: string;
}

export interface Mailer {
  /** Resolves once the mail server has taken the message, and throws `MailFailed` otherwise. */
  send(mail: Mail): Promise<void>;
}

/** The message was not taken. Neither the password of the mail server nor the message's text is in here. */
export class MailFailed extends Error {
  override readonly name = 'MailFailed';
  /** Whether the same message may be taken later. */
  readonly retryable: boolean;

  constructor(message: string, { retryable }: { retryable: boolean }) {
    super(message);
    this.retryable = retryable;
  }
}
