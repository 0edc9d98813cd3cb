import { anyone, app, OpenObject, op, Redirect, resource, T } from '@latchkey/kernel';
import { createState, maxStateBytes, stateTtlSeconds } from './create.ts';
import { getState, redirectSlug } from './reads.ts';
import { CreateStateResponse } from './slug.ts';

const slugParam = T.String({ description: 'The last part of the short link.', minLength: 1, maxLength: 64 });

export const slugs = resource('slugs', 'Short links.', [
  op(
    'GET /slugs/{slug}',
    {
      id: 'redirectSlug',
      sdk: 'UrlSlugController.redirect',
      summary: 'Follow a short link',
      description:
        'Leads to the address behind the link: the url of the state, if it has one, or else the state itself. A link that was never made and one that has expired look the same.',
      access: anyone,
      params: { slug: slugParam },
      returns: Redirect,
      errors: ['ENTITY_NOT_FOUND'],
    },
    redirectSlug,
  ),
]);

export const states = resource(
  'states',
  'Pieces of state behind short links, for flows that leave one program and go on in another.',
  [
    op(
      'POST /states',
      {
        id: 'createState',
        sdk: 'UrlSlugController.createState',
        summary: 'Store a state',
        description: `Keeps any JSON object of up to ${maxStateBytes} bytes for ${stateTtlSeconds / 60} minutes, encrypted, and returns a short link to it. Anyone with the link can read the state. If the object has a text field named url, the link leads there; it must be one of the redirectUris of the client application or lie under one of its allowedOrigins.`,
        facts: { freeBody: 'Whatever the caller wants to find again.' },
        access: app('state:create'),
        body: OpenObject,
        returns: CreateStateResponse,
        repeatable: true,
      },
      createState,
    ),
    op(
      'GET /states/{slug}',
      {
        id: 'getState',
        sdk: 'UrlSlugController.getState',
        summary: 'Read a state',
        description:
          'Returns the object as it was kept. A state that was never kept and one that has expired look the same.',
        access: anyone,
        params: { slug: slugParam },
        returns: OpenObject,
        errors: ['ENTITY_NOT_FOUND'],
      },
      getState,
    ),
  ],
);
