import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../schema.graphql',
  documents: 'codegen.ts',
  generates: {
    './generated/codegen/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: { documentMode: 'string', scalars: { DateTime: 'string' } },
    },
  },
};

export default config;
