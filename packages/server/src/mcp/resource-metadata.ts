/** Where clients look for what protects a resource (RFC 9728, section 3). */
export const metadataPath = '/.well-known/oauth-protected-resource';

/** Tells an MCP client where to sign its user in. */
export function describeResource(baseUrl: string, path: string, portalUrl: string | undefined) {
  return {
    resource: `${baseUrl}${path}`,
    resource_name: 'Latchkey for agents',
    authorization_servers: [baseUrl],
    // No list of scopes: a client that is told of no other asks for all of them, and no application may have them all.
    bearer_methods_supported: ['header'],
    ...(portalUrl !== undefined && { resource_documentation: portalUrl }),
  };
}
