import { Link } from '@tanstack/react-router';
import type { ItemOf } from '../shared/api/index.ts';
import { Picture, Row, Time } from '../shared/ui/index.ts';
import { ReviewState } from './review-state.tsx';

const types = {
  confidential: 'Web app with a server',
  public: 'Browser or mobile app',
  apiKey: 'API key only',
} as const;

export function AppRow({ app }: { app: ItemOf<'GET /client-apps'> }) {
  const name = app.name ?? 'Unnamed';
  return (
    <Row
      picture={<Picture name={name} />}
      title={
        <Link to="/developers/apps/$appId" params={{ appId: app.id ?? '' }} title={name}>
          {name}
        </Link>
      }
      states={<ReviewState status={app.status} />}
      note={
        <>
          {types[app.clientType ?? 'confidential']} · created <Time at={app.createdTime ?? ''} />
        </>
      }
    />
  );
}
