import { AppError, isLimited, notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { ownerOfClientApp } from '../../developers/client-apps/index.ts';
import type { Person } from './owner.ts';
import { domainNameOf, readDomainName } from './signing-domain.ts';
import { deleteDomain, hasDomain, insertDomain, listDomains, type SigningDomainRow } from './signing-domain-queries.ts';
import type { TypedData } from './typed-data.ts';

type DomainContext = Pick<Context, 'clock' | 'db'>;

/** Lets an application have typed data of a domain signed. */
export async function allowSigningDomain(
  ctx: DomainContext,
  { clientId, domain, notes }: { clientId: string; domain: string; notes?: string | undefined },
): Promise<string> {
  if ((await ownerOfClientApp(ctx, clientId)) === undefined) throw notFound('client application');
  const name = getName(domain);
  await insertDomain(ctx.db.system, {
    client_id: clientId,
    domain: name,
    notes: notes ?? null,
    created_at: ctx.clock(),
  });
  return name;
}

export async function removeSigningDomain(
  ctx: DomainContext,
  { clientId, domain }: { clientId: string; domain: string },
): Promise<void> {
  if (!(await deleteDomain(ctx.db.system, clientId, getName(domain)))) throw notFound('domain of this application');
}

export function listSigningDomains(ctx: DomainContext, clientId: string | undefined): Promise<SigningDomainRow[]> {
  return listDomains(ctx.db.system, clientId);
}

/**
 * Refuses typed data that the asking application may not have signed. A person in a session of their own is bound by no
 * list, since they see what they approve; a session with fewer scopes belongs to somebody else who asks for them.
 */
export async function assertDomainAllowed(ctx: DomainContext, person: Person, data: TypedData): Promise<void> {
  const { client } = person;
  if (client === undefined && !isLimited(person)) return;
  const domain = domainNameOf(data);
  if (client === undefined || domain === undefined)
    throw new AppError(
      'CLIENT_NOT_ALLOWED',
      client === undefined
        ? 'This token may not have typed data signed. Sign in to this server directly, or use an application that the operator allows it.'
        : 'No application may have typed data signed whose domain names neither a contract nor itself.',
    );
  if (await hasDomain(ctx.db.system, client.id, domain)) return;
  throw new AppError(
    'CLIENT_NOT_ALLOWED',
    `This application may not have typed data of ${domain} signed. The operator of this server allows it with: latchkey signing-domains allow ${client.id} "${domain}"`,
    { details: { domain, clientId: client.id } },
  );
}

function getName(domain: string): string {
  const name = readDomainName(domain);
  if (name === undefined)
    throw new AppError(
      'INVALID_PARAMETER_VALUE',
      'A domain is the address of its contract, @ and the id of its chain (0x…@1, or 0x…@any if it names no chain), or name: and its name.',
    );
  return name;
}
