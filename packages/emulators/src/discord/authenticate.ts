import { timingSafeEqual } from 'node:crypto';
import type { Actor } from './call.ts';
import { refusal } from './errors.ts';
import type { Application } from './state/types.ts';
import type { World } from './state/world.ts';

/** Returns the owner of a credential, or `nobody` without one. Throws for an unknown credential. */
export function authenticate(world: World, header: string | undefined): Actor {
  if (header === undefined) return { kind: 'nobody' };
  const [scheme = '', credential = ''] = header.split(' ', 2);
  switch (scheme.toLowerCase()) {
    case 'bot': {
      const application = world.applicationsByToken.get(credential);
      if (application) return { kind: 'bot', application };
      break;
    }
    case 'bearer': {
      const bearer = world.bearers.get(credential);
      if (bearer && bearer.expiresAtMs > world.clock()) return { kind: 'user', ...bearer };
      break;
    }
    case 'basic': {
      const [id = '', secret = ''] = Buffer.from(credential, 'base64').toString('utf8').split(':', 2);
      const application = findClient(world, id, secret);
      if (application) return { kind: 'client', application };
      break;
    }
  }
  throw refusal('unauthorized');
}

export function findClient(world: World, id: string, secret: string): Application | undefined {
  const application = world.applications.get(id);
  if (application === undefined) return undefined;
  const right = Buffer.from(application.clientSecret);
  const given = Buffer.from(secret);
  return right.length === given.length && timingSafeEqual(right, given) ? application : undefined;
}
