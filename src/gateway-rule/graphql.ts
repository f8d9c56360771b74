import { Component } from '../component/graphql.ts';
import { builder, restName } from '../graphql/builder.ts';
import { accessUrlsOf } from './reads.ts';

builder.objectField(Component, 'accessUrls', (t) =>
  t.stringList({
    description: restName(
      'Where it is reached from outside: `http(s)://domain/path` of each published HTTP rule, then `host:port` of each TCP rule.',
      'access_infos',
    ),
    resolve: (component, _, context) => accessUrlsOf(context, component),
  }),
);
