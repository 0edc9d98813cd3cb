import type { Operation } from '@latchkey/kernel';

/** The response headers of a deprecated operation (RFC 9745), when it ends (RFC 8594), and what to call instead (RFC 5829). */
export function deprecationHeaders({ contract: { deprecated } }: Pick<Operation, 'contract'>): Record<string, string> {
  if (deprecated === undefined) return {};
  const { since, until, use } = deprecated;
  const [, path = ''] = use.split(' ');
  return {
    deprecation: `@${startOf(since).getTime() / 1000}`,
    ...(until !== undefined && { sunset: startOf(until).toUTCString() }),
    // A template is no address.
    ...(!path.includes('{') && { link: `<${path}>; rel="successor-version"` }),
  };
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}
