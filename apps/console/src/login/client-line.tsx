import type { PageClient } from '@latchkey/kernel';
import { Icon } from '../parts/icon.tsx';

/** Who is asking, and where it leads. */
export function ClientLine({ client }: { client: PageClient }) {
  const url = client.url !== undefined && /^https?:\/\//i.test(client.url) ? client.url : undefined;
  return (
    <p className="client">
      <Icon source={client.icon} name={client.name} />
      <span className="row-text">
        {url === undefined ? (
          <strong>{client.name}</strong>
        ) : (
          <a href={url} target="_blank" rel="noreferrer noopener">
            {client.name}
          </a>
        )}
        <small>
          takes you back to <strong>{client.returnsTo}</strong>
        </small>
      </span>
    </p>
  );
}
