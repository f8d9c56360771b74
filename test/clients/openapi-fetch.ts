import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi.ts';

const client = createClient<paths>({
  baseUrl: `${process.env.TRELLIS_URL}/openapi/v1`,
  headers: { Authorization: `Bearer ${process.env.TRELLIS_TOKEN}` },
});

// A team and a region in a path are an id or a name.
const place = { team_id: 'shop', region_name: 'eu-central' };
const list = await client.GET('/teams/{team_id}/regions/{region_name}/apps', { params: { path: place } });
if (list.error) throw new Error(list.error.detail);
export const applications = list.data.map(({ group_name }) => group_name);

const at = { ...place, app_id: process.env.APP_ID!, service_id: process.env.COMPONENT_ID! };
const openPort = (port: number) =>
  client.PUT('/teams/{team_id}/regions/{region_name}/apps/{app_id}/services/{service_id}/ports/{port}', {
    params: { path: { ...at, port } },
    body: { action: 'open_outer' },
  });

const { data } = await openPort(8080);
export const opened = { number: data?.container_port, isOuter: data?.is_outer_service };
// Errors are problem documents, with the codes of GraphQL.
export const refused = (await openPort(1)).error?.code;
