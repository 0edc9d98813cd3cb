declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type Provider from 'oidc-provider';
  import type { KoaContextWithOIDC, TokenEndpointGrantContext } from 'oidc-provider';

  /** Internals of the provider that have no public interface. */
  interface Internals {
    configuration: {
      responseTypes: string[];
      idTokenSigningAlgValues: string[];
      authorizationSigningAlgValues: string[];
      scopes: Set<string>;
    };
    keystore: { clear(): void; add(key: JsonWebKey & { kid: string; key_ops?: string[] }): void };
    responseModes: Map<
      string,
      (ctx: KoaContextWithOIDC, redirectUri: string, out: Record<string, unknown>) => Promise<void>
    >;
    grantTypeHandlers: Map<string, (ctx: TokenEndpointGrantContext) => Promise<void>>;
  }

  export default function instance(provider: Provider): Internals;
}
