import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, EmptyState, Picture, QueryList, Row, Section, Time } from '../../shared/ui/index.ts';

type Application = Answer<'GET /latchkey/account/applications'>[number];
const list = 'GET /latchkey/account/applications';

export function Applications() {
  const applications = useOperation(list, {});
  const revoke = useAction('DELETE /user-authorizations/{clientId}', { done: 'Access revoked.', changes: [list] });
  return (
    <Section title="Apps with access" lead="What you allowed other apps to know and do.">
      <QueryList
        read={applications}
        what="apps"
        lines={2}
        keyOf={({ clientId }) => clientId}
        empty={<EmptyState title="No app has access to your account" />}
      >
        {(application) => (
          <Row
            picture={<Picture name={application.name} />}
            title={application.name}
            note={
              <>
                since <Time at={application.createdTime} /> · may {mayWords(application)}
              </>
            }
            actions={
              <ConfirmButton
                label="Revoke"
                look={{ size: 'compact-sm', 'aria-label': `Revoke access of ${application.name}` }}
                title={`Revoke access of ${application.name}?`}
                yes="Revoke access"
                isDangerous
                action={revoke}
                onYes={() => revoke.runAsync({ clientId: application.clientId })}
              >
                <p>It is signed out at once. If you use it again, it has to ask you again.</p>
              </ConfirmButton>
            }
          />
        )}
      </QueryList>
    </Section>
  );
}

function mayWords({ scopes }: Application): string {
  const words = scopes.map(({ description }) => description).join(', ');
  return words === '' ? 'recognize you when you come back' : words;
}
