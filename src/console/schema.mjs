import { buildSchema, getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';

/**
 * The fields of each payload of a mutation that the console always reads, by the name of the mutation: the plan, as a list
 * of objects, and the job.
 */
export function payloadFields(text) {
  const schema = buildSchema(text);
  const isRead = ({ name, type }) =>
    name === 'job' || (name === 'plan' && getNamedType(type).name === 'ObjectChange');
  return Object.fromEntries(
    Object.keys(schema.getMutationType().getFields()).map((mutation) => {
      const payload = schema.getType(`${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Payload`);
      const fields = Object.values(payload.getFields()).filter(isRead);
      return [mutation, fields.map(({ name }) => name)];
    }),
  );
}

const types = { Int: 'integer', Float: 'number', Boolean: 'boolean' };

/**
 * The JSON Schemas of the input types of schema.graphql by their names, from which the console makes its forms. The
 * default of a field is the one that its description names.
 */
export function inputSchemas(text) {
  const schema = buildSchema(text);
  const types = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  return Object.fromEntries(
    types.map((type) => {
      const fields = Object.values(type.getFields());
      return [
        type.name,
        {
          type: 'object',
          properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
          required: fields.filter((field) => isNonNullType(field.type)).map((field) => field.name),
        },
      ];
    }),
  );
}

function propertyOf({ type, description }) {
  const [, given] = /Defaults to `?([^`]+?)`?[.,](?:\s|$)/.exec(description ?? '') ?? [];
  return {
    ...schemaOf(isNonNullType(type) ? type.ofType : type),
    ...(description && { description: description.replace(/ REST: .*$/, '') }),
    ...(given !== undefined && { default: given }),
  };
}

function schemaOf(type) {
  if (isListType(type))
    return { type: 'array', items: schemaOf(isNonNullType(type.ofType) ? type.ofType.ofType : type.ofType) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (isInputObjectType(type)) return { $ref: type.name };
  return { type: types[type.name] ?? 'string' };
}
