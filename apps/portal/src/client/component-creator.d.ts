/** What Docusaurus exports as a module of its own name, at the place where it lies. */
declare module '@docusaurus/core/lib/client/exports/ComponentCreator.js' {
  import type { ComponentType } from 'react';

  export default function createComponent(
    path: string,
    hash: string,
  ): ComponentType<object> & { preload(): Promise<unknown> };
}
