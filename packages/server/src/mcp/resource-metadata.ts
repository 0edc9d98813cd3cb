import { scopes } from '@latchkey/kernel';

/** Where clients look for what protects a resource (RFC 9728, section 3). */
export const metadataPath = '/.well-known/oauth-protected-resource';

/** Tells an MCP client where to sign its user in. */
export function describeResource(baseUrl: string, path: string, portalUrl: string | undefined) {
  return {
    resource: `${baseUrl}${path}`,
    resource_name: 'Latchkey for agents',
    authorization_servers: [baseUrl],
    scopes_supported: Object.keys(scopes).filter((scope) => !scope.startsWith('$')),
    bearer_methods_supported: ['header'],
    ...(portalUrl !== undefined && { resource_documentation: portalUrl }),
  };
}
