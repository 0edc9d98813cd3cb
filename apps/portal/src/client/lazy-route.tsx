import createComponent from '@docusaurus/core/lib/client/exports/ComponentCreator.js';
import type { ComponentProps } from 'react';

type Route = ReturnType<typeof createComponent>;

/**
 * Stands in for what makes the component of a route. There are hundreds of routes, all made before the first page can
 * come alive, and one or two of them are ever used: these are made then.
 */
export default function lazyRoute(path: string, hash: string) {
  let made: Route | undefined;
  const make = (): Route => {
    made ??= createComponent(path, hash);
    return made;
  };
  function LazyRoute(props: ComponentProps<Route>) {
    const Made = make();
    return <Made {...props} />;
  }
  LazyRoute.preload = () => make().preload();
  return LazyRoute;
}
