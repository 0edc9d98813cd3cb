import type { Random } from '@latchkey/kernel';

const secretLength = 43; // of 62 letters and digits: 256 bits

/** `<client id>.<random>`: the first part identifies the application of a key, the second is the secret. */
export function newApiKey(random: Random, clientId: string): string {
  return `${clientId}.${random.id(secretLength)}`;
}

/** Whether a text has the format of a key, so that other guesses cost no query. */
export function isApiKeyForm(key: string): boolean {
  return /^[0-9A-Za-z]{21}\.[0-9A-Za-z]{43}$/.test(key);
}

export function newClientSecret(random: Random): string {
  return `lk_cs_${random.id(secretLength)}`;
}
