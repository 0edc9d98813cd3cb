/** What Discord counts calls by: the path template, and the guild, channel or webhook it is about. */
export interface Route {
  /** `PUT /guilds/:id/members/:id/roles/:id` */
  template: string;
  /** The top-level id that separates buckets. */
  major: string;
  /** Interaction responses and webhook calls have their own token and do not count towards the bot's global limit. */
  isExemptFromGlobal: boolean;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const majorResources = new Set(['guilds', 'channels', 'webhooks', 'interactions']);

/** Parses the route from a path that starts with a slash and has no query. */
export function routeOf(method: Method, path: string): Route {
  const segments = path.slice(1).split('/');
  const [resource = '', id = '', token = ''] = segments;
  const isInvite = resource === 'invites';
  const carriesToken = resource === 'webhooks' || resource === 'interactions';
  const hasMajor = majorResources.has(resource) && id !== '';
  const template = segments
    .map((segment, at) => {
      if (carriesToken && at === 2) return ':token';
      // The code of an invite lets people in, so it stays out of what is logged by route.
      if (isInvite && at === 1) return ':code';
      return /^\d{15,20}$/.test(segment) ? ':id' : segment;
    })
    .join('/');
  return {
    template: `${method} /${template}`,
    major: hasMajor ? (carriesToken ? `${id}/${token}` : id) : '',
    isExemptFromGlobal: carriesToken && token !== '',
  };
}
