/** The place a secret is sealed for; its ciphertext opens nowhere else. */
export function secretPlace(clientId: string): string {
  return `webhook_endpoints.secret:${clientId}`;
}

export function oldSecretPlace(clientId: string): string {
  return `webhook_endpoints.old_secret:${clientId}`;
}
