declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type Provider from 'oidc-provider';
  import type { TokenEndpointGrantContext } from 'oidc-provider';

  /** Internals of the provider that have no public interface. */
  interface Internals {
    configuration: { responseTypes: string[]; idTokenSigningAlgValues: string[]; scopes: Set<string> };
    keystore: { clear(): void; add(key: JsonWebKey & { kid: string; key_ops?: string[] }): void };
    responseModes: Map<string, unknown>;
    grantTypeHandlers: Map<string, (ctx: TokenEndpointGrantContext) => Promise<void>>;
  }

  export default function instance(provider: Provider): Internals;
}
