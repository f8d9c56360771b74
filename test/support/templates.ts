import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../prisma/templates/', import.meta.url);

/** The text of a real template. */
export const templateText = (application: string, version: string) =>
  readFileSync(new URL(`${application}/${version}.json`, folder), 'utf8');

/** All versions of a real application. */
export const versionsOf = (application: string) =>
  readdirSync(new URL(`${application}/`, folder))
    .filter((file) => file.endsWith('.json') && file !== 'app.json')
    .map((file) => file.replace('.json', ''));

const id = () => randomBytes(16).toString('hex');

/** A template of our own making: as many components as wanted, in a ring of dependencies. */
export function ringTemplate(
  size: number,
  options: { key?: string; version?: string; edit?: (app: any, index: number) => void } = {},
) {
  const key = options.key ?? id();
  const keyOf = (index: number) => `${key.slice(0, 20)}-${index}`;
  const apps = Array.from({ length: size }, (_, index) => {
    const app = {
      service_key: keyOf(index),
      service_id: keyOf(index),
      service_share_uuid: `${keyOf(index)}+${keyOf(index)}`,
      service_cname: `part-${index}`,
      share_image: `registry.example/part-${index}:${options.version ?? '1.0.0'}`,
      version: options.version ?? '1.0.0',
      port_map_list: [
        {
          container_port: 8080,
          protocol: 'http',
          port_alias: `PART${index}_8080`,
          is_inner_service: true,
          cluster_service_name: `part-${index}`,
        },
      ],
      service_env_map_list: [
        { name: 'INDEX', attr_name: 'INDEX', attr_value: String(index), is_change: true },
      ],
      service_volume_map_list: [{ volume_name: 'data', volume_path: '/data', volume_type: 'share-file' }],
      dep_service_map_list: [
        { dep_service_key: `${keyOf((index + 1) % size)}+${keyOf((index + 1) % size)}` },
      ],
    };
    options.edit?.(app, index);
    return app;
  });
  return {
    key,
    version: options.version ?? '1.0.0',
    text: JSON.stringify({
      group_key: key,
      group_name: `Ring of ${size}`,
      group_version: options.version ?? '1.0.0',
      apps,
    }),
  };
}

/** A template with many of everything in each of its parts, and different in each version. */
export const largeTemplate = (parts: number, version: string, id?: string) =>
  ringTemplate(parts, {
    version,
    ...(id !== undefined && { key: id }),
    edit(app, index) {
      for (let port = 1; port < 10; port++) {
        app.port_map_list.push({
          ...app.port_map_list[0],
          container_port: 8080 + port,
          port_alias: `PART${index}_${8080 + port}`,
        });
      }
      for (let variable = 1; variable < 20; variable++) {
        app.service_env_map_list.push({
          attr_name: `VARIABLE_${variable}`,
          attr_value: `${version} ${'x'.repeat(400)}`,
        });
      }
      for (let volume = 1; volume < 4; volume++) {
        app.service_volume_map_list.push({
          volume_name: `data-${volume}`,
          volume_path: `/data-${version}-${volume}`,
          volume_type: 'share-file',
        });
      }
    },
  });
