import { SignJWT } from 'jose';
import type { Context } from '../../context.ts';
import type { SecretContext } from '../../machinery/kept-secrets/index.ts';
import { issuerDid, issuerKeys } from './issuer.ts';
import type { KudosRow } from './queries.ts';

/**
 * Kudos as a verifiable credential in the JWT form of the W3C's data model 1.1 (section 6.3.1): what the claims iss, sub,
 * jti and nbf say of issuer, subject, id and date stands there and is left out of `vc`.
 */
export async function signCredential(
  ctx: SecretContext & Pick<Context, 'settings'>,
  kudos: Omit<KudosRow, 'jwt'>,
  communityName: string,
): Promise<string> {
  const { baseUrl } = ctx.settings;
  const [{ id: kid, privateKey }] = await issuerKeys(ctx);
  const subject = personUri(baseUrl, kudos.to_user_id);
  const vc = {
    // The words of this server are its own, so that none of them is undefined to readers of JSON-LD.
    '@context': ['https://www.w3.org/2018/credentials/v1', { '@vocab': `${baseUrl}/credentials/kudos#` }],
    type: ['VerifiableCredential', 'KudosCredential'],
    credentialSubject: {
      id: subject,
      userId: kudos.to_user_id,
      kudos: {
        kind: kudos.kind,
        words: kudos.words,
        from: { id: personUri(baseUrl, kudos.from_user_id), userId: kudos.from_user_id },
        community: { communityId: kudos.community_id, name: communityName },
      },
    },
  };
  return new SignJWT({ vc })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid })
    .setIssuer(issuerDid(ctx.settings))
    .setSubject(subject)
    .setJti(`${baseUrl}/credentials/kudos/${kudos.id}`)
    .setNotBefore(Math.floor(kudos.given_at.getTime() / 1000))
    .sign(privateKey);
}

// The data model wants a URI for whom a credential is about; this one leads to the lookup.
function personUri(baseUrl: string, userId: string): string {
  return `${baseUrl}/kudos/users/${encodeURIComponent(userId)}`;
}
