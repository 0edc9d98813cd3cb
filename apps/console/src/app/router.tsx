import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { Failure, Loading } from '../shared/ui/index.ts';
import { NotFound } from './not-found.tsx';
import { screens } from './screens.ts';
import { Shell } from './shell/shell.tsx';

/** Makes the router: each screen is loaded when somebody goes there, or points at a link to it. */
export function createConsoleRouter() {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
  const routes = screens.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'View') }),
  );
  return createRouter({
    routeTree: root.addChildren(routes),
    basepath: '/console',
    parseSearch: parseSearchWith(readValue),
    stringifySearch: stringifySearchWith(JSON.stringify, readValue),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: () => <Loading what="the page" />,
    // A screen whose file cannot be fetched, or that fails, leaves the navigation standing.
    defaultErrorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
  });
}

/** Numbers in addresses are ids, which are longer than JavaScript can count: they stay texts. */
function readValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') throw new TypeError('Ids are texts.');
  return value;
}
