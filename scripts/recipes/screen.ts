import type { Recipe } from './recipe.ts';

const folder = 'apps/console/src/operator';

export const screen: Recipe = {
  title: 'add a console screen',
  atMost: 4,
  checks: ['apps/console/test/boundaries.test.ts', 'packages/server/src/cli/on-pages.test.ts'],
  apply: (tree) => {
    tree.create(
      `${folder}/processes/view.tsx`,
      `import { useOperation } from '../../shared/api/index.ts';
import { Page, Query } from '../../shared/ui/index.ts';

/** The log settings of every running process. */
export function View() {
  const processes = useOperation('GET /log/settings', {});
  return (
    <Page title="Processes" lead="What each running process writes to its log.">
      <Query read={processes} what="processes">
        {(running) => (
          <ul>
            {running.map(({ serverType, hostName, logLevel }) => (
              <li key={\`\${serverType} \${hostName}\`}>
                {serverType} on {hostName}: {logLevel}
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
      `${folder}/screens.ts`,
      "  { path: '/operator/keys',",
      "  { path: '/operator/processes', title: 'Processes', load: () => import('./processes/view.tsx') },\n",
    );
    tree.insertBefore(
      'apps/console/src/app/shell/shell.tsx',
      "  { to: '/operator/keys',",
      "  { to: '/operator/processes', title: 'Processes', icon: IconListDetails },\n",
    );
  },
};
