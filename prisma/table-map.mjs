// A generator of our own: table and column names, types, unique keys and references of every model, as a constant that
// statements are built from, so that no column is ever typed by hand.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import helper from '@prisma/generator-helper';

helper.generatorHandler({
  onManifest: () => ({ prettyName: 'table map', defaultOutput: './tables.ts' }),
  onGenerate: async ({ dmmf, generator }) => {
    const models = dmmf.datamodel.models.map((model) => {
      const columns = model.fields
        .filter((field) => field.kind === 'scalar' || field.kind === 'enum')
        .map(
          (field) =>
            `      ${field.name}: { column: '${field.dbName ?? field.name}', type: '${field.type}' },`,
        );
      const keys = [
        ...model.fields.filter(({ isId, isUnique }) => isId || isUnique).map(({ name }) => [name]),
        ...model.uniqueFields,
      ];
      const references = model.fields
        .filter(({ relationFromFields }) => relationFromFields?.length)
        .map(({ relationFromFields: [field], type: to, relationOnDelete: onDelete }) => ({
          field,
          to,
          onDelete,
        }));
      return `  ${model.name}: {\n    table: '${model.dbName ?? model.name}',\n    keys: ${JSON.stringify(keys)},\n    references: ${JSON.stringify(references)},\n    columns: {\n${columns.join('\n')}\n    },\n  },`;
    });
    const file = generator.output.value;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `// Generated from prisma/models.prisma.\nexport const tables = {\n${models.join('\n')}\n} as const;\n`,
    );
  },
});
