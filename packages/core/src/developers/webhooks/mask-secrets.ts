// Our own forms of secrets: client secrets and tokens, webhook secrets, API keys.
const secretForms = /\blk_[a-z]{2}_[\w+/=-]{8,}|\bwhsec_[\w+/=-]{8,}|\b[0-9A-Za-z]{12,40}\.[0-9A-Za-z]{32,64}\b/g;

/** No event holds a secret. Should one ever do, the log of deliveries is not where people read it. */
export function maskSecrets(text: string): string {
  return text.replace(secretForms, '[masked]');
}
