import { Button } from '@mantine/core';
import { useState } from 'react';
import { usePages } from '../../shared/api/index.ts';
import { Time } from '../../shared/ui/index.ts';
import { CreateApplication } from './create-application.tsx';
import { type Application, ReviewApplication } from './review-application.tsx';
import { ReviewList, useReviewFilter } from './review-list.tsx';

export function Applications() {
  const filter = useReviewFilter();
  const [reviewed, setReviewed] = useState<Application>();
  const [isCreating, setIsCreating] = useState(false);
  const apps = usePages('GET /latchkey/operator/applications', filter.input);
  return (
    <>
      <ReviewList<Application>
        filter={filter}
        pages={apps}
        what="applications"
        one="application"
        searchLabel="Name, client id or owner"
        action={
          <Button variant="default" onClick={() => setIsCreating(true)}>
            Create application
          </Button>
        }
        note={(app) => (
          <>
            By {app.createdByName ?? app.createdById}
            {app.createdTime !== undefined && (
              <>
                , <Time at={app.createdTime} isRelative />
              </>
            )}
            {app.url !== undefined && `, ${app.url}`}
          </>
        )}
        onReview={setReviewed}
      />
      {reviewed !== undefined && <ReviewApplication app={reviewed} onClose={() => setReviewed(undefined)} />}
      {isCreating && <CreateApplication onClose={() => setIsCreating(false)} />}
    </>
  );
}
