import type { PageClient } from '@latchkey/kernel';
import { t } from '../messages/index.ts';
import { Icon } from '../parts/icon.tsx';

/** Who is asking, who made it, and where it leads. */
export function ClientLine({ client }: { client: PageClient }) {
  const url = client.url !== undefined && /^https?:\/\//i.test(client.url) ? client.url : undefined;
  return (
    <div className="client">
      <Icon source={client.icon} name={client.name} isLarge />
      <span className="row-text">
        <span className="clamped" title={client.name}>
          {url === undefined ? (
            <strong>
              <bdi>{client.name}</bdi>
            </strong>
          ) : (
            <a href={url} target="_blank" rel="noreferrer noopener">
              <bdi>{client.name}</bdi>
            </a>
          )}
        </span>
        {client.maker !== undefined && (
          <small className="clamped" title={client.maker}>
            {t.rich('client.madeBy', { name: <bdi key="name">{client.maker}</bdi> })}
          </small>
        )}
        <small>{t.rich('client.returnsTo', { site: <strong key="site">{client.returnsTo}</strong> })}</small>
      </span>
    </div>
  );
}
