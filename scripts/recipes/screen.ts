import type { Recipe } from './recipe.ts';

const folder = 'apps/console/src/operator';

export const screen: Recipe = {
  title: 'add a console screen',
  atMost: 4,
  checks: [
    'apps/console/test/boundaries.test.ts',
    'apps/console/test/texts.test.ts',
    'packages/server/src/cli/on-pages.test.ts',
  ],
  apply: (tree) => {
    tree.create(
      `${folder}/processes/view.tsx`,
      `import { useOperation } from '../../shared/api/index.ts';
import { Page, Query } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

/** The log settings of every running process. */
export function View() {
  const processes = useOperation('GET /log/settings', {});
  return (
    <Page title={t('processes.title')} lead={t('processes.lead')}>
      <Query read={processes} loading={t('processes.loading')}>
        {(running) => (
          <ul>
            {running.map(({ serverType = '', hostName = '', logLevel = '' }) => (
              <li key={\`\${serverType} \${hostName}\`}>
                {t('processes.process', { type: serverType, host: hostName, level: logLevel })}
              </li>
            ))}
          </ul>
        )}
      </Query>
    </Page>
  );
}
`,
    );
    tree.insertBefore(
      `${folder}/messages/en/server.ts`,
      '} as const;',
      `
  'processes.title': 'Processes',
  'processes.lead': 'What each running process writes to its log.',
  'processes.loading': 'Loading the processes …',
  'processes.process': '{type} on {host}: {level}',
`,
    );
    tree.insertBefore(
      'apps/console/src/shared/messages/en.ts',
      "  'screen.keys':",
      "  'screen.processes': 'Processes',\n",
    );
    tree.insertBefore(
      `${folder}/screens.ts`,
      "  { path: '/operator/keys',",
      "  { path: '/operator/processes', title: () => t('screen.processes'), icon: IconListDetails, load: () => import('./processes/view.tsx') },\n",
    );
  },
};
