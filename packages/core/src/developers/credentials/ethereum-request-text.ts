export interface EthereumRequest {
  method: string;
  /** The path with its query, exactly as it is sent. */
  path: string;
  /** An ISO time in UTC. */
  issuedAt: string;
  nonce: string;
}

/** The text a wallet signs for one request. It names the server, so that no other site can use the signature here. */
export function ethereumRequestText({
  baseUrl,
  method,
  path,
  issuedAt,
  nonce,
}: EthereumRequest & { baseUrl: string }): string {
  return [
    `Allow one request to ${baseUrl}`,
    '',
    `Method: ${method}`,
    `Path: ${path}`,
    `Issued at: ${issuedAt}`,
    `Nonce: ${nonce}`,
  ].join('\n');
}
