/** Returns the context that a secret is sealed for; its ciphertext cannot be decrypted elsewhere. */
export function secretPlace(clientId: string): string {
  return `webhook_endpoints.secret:${clientId}`;
}

export function oldSecretPlace(clientId: string): string {
  return `webhook_endpoints.old_secret:${clientId}`;
}
