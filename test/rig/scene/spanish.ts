/** A user who writes Spanish, often without accents. */
import { sceneWords } from "./scene-words.ts";

export const SPANISH = sceneWords({
	language: "Spanish",
	rules: `
		antes de nada: «nunca hagas push directo a main»
		mira por qué tarda el import. ah y «nada de lodash en este repo»
		«Los tests van al lado del fichero fuente, no en una carpeta aparte.»
		«cada función pública lleva una línea de documentación»
		«no toques nada de vendor/»
		«mensajes de commit en inglés, máximo 60 caracteres»
		«antes de decir que has terminado pasa npm run lint»
		«los errores se devuelven como {code, message} y nada más»
		«aquí usamos pnpm, npm rompe el lockfile»
		«pregúntame antes de añadir una dependencia»
		«al usuario se le trata de usted en la interfaz»
		por cierto, «los snapshots son generados, déjalos en paz»
		«las fechas se guardan siempre en UTC»
		«toda migración necesita su vuelta atrás»
		«no reformatees archivos que no cambies por otra razón»
		una más: «sin default exports»
		«si dudas, para y pregunta en vez de adivinar»
		«quiero commits pequeños, un cambio por commit»
		recuerda que «la base de staging es compartida, nada de consultas destructivas»
		«los logs no pueden contener correos»
		«soportamos node 20, así que nada más nuevo»
		«el bundle tiene que quedar por debajo de 90 kB»
		«en src/legacy no se cambia nada sin mi permiso»
		«los comentarios en español aunque el ticket esté en inglés»
		«un solo paquete por PR»
		«los feature flags vienen apagados por defecto»
		«los secretos van en la bóveda, no en archivos .env»
		«respeta la estructura de carpetas que hay»
		«si un test es inestable avísame, no lo repitas sin más»
		«todo lo que ve el usuario va al CHANGELOG»
		«sangría con tabuladores»
		«el dinero son céntimos enteros, los floats están prohibidos ahí»
		«las capturas van en docs/img»
		«a partir de ahora contesta en puntos cortos»
		«evita las regex para parsear html»
		«la API pública se queda como está»
		«la palabra inquilino está prohibida en la UI, decimos espacio»
		«la CLI debe funcionar sin conexión después de cada paso»
		«no se mergean comentarios TODO»
		«ejecuta solo los tests del paquete que cambiaste, la suite entera tarda 40 min»
		«los cambios de esquema solo los aprueba Marta»
		«git stash ni tocarlo»
		«el código de librería no lanza excepciones, devuelve resultados»
		«todos los endpoints necesitan límite de tasa, sin excepción»
		«en el renderer prefiero composición a herencia»
		«los datos de la demo tienen que seguir siendo deterministas»
		puedes mirar logs pero «producción es solo lectura para ti»
		«los nombres de archivo en kebab-case»
		«cada componente nuevo con su story»
		«deja de resumir lo que hiciste al final de cada respuesta»
	`,
	corrections: `
		«el relay escucha en el puerto 7443» || perdón, «el relay está en 8443 ahora, no en 7443»
		«Marta revisa los PR de storage» || «Jonas revisa storage ahora en vez de Marta»
		«el timeout del uploader es 30s» || corrección: «el timeout del uploader debería ser 45s»
		«el bucket se llama acme-uploads-eu» || «se llama acme-media-eu, no acme-uploads-eu»
		«desplegamos los jueves» || «los despliegues pasan de los jueves a los martes»
		«con un 503 reintenta tres veces» || «mejor reintenta cinco veces, tres eran pocas»
		«el flag se llama ENABLE_FASTPATH» || me equivoqué, «el flag es FASTPATH_ENABLED»
		«el tamaño máximo de página es 200» || «pon el tamaño máximo de página en 500»
		«la cabecera es X-Trace-Token» || «la cabecera es X-Request-Trace en lugar de X-Trace-Token»
		«los tokens caducan a los 15 minutos» || «los tokens ahora duran 60 minutos, con 15 minutos se salía todo el mundo»
		«la cuenta de servicio es svc-builder» || «usa svc-release, svc-builder ya no existe»
		«la configuración está en config/base.yml» || «config/base.yml ahora se llama settings/core.yml»
		«los avisos van en naranja» || «los avisos van en ámbar, ya no en naranja»
		«la cola se llama ingest-v2» || espera no, «la cola es ingest-v3»
		«la base de datos es Postgres 14» || «desde la semana pasada estamos en Postgres 16»
		«saca la rama de develop» || «saca la rama de trunk, develop está muerta»
		«las facturas se redondean hacia arriba» || «las facturas se redondean al par, no hacia arriba»
		«la base de la API es /api/v1» || «cambia la base de la API de /api/v1 a /api/v2»
		«guardamos 14 días de copias» || «copias: 30 días en vez de 14»
		«de facturación se encarga Priya» || «Priya se fue, de facturación se encarga Tomas»
		«comprime con gzip» || «al final zstd, quita gzip»
		«TTL de caché 300» || «TTL 900 por favor, 300 machaca el origen»
		«el cron corre a las 02:00» || fallo mío, «el cron corre a las 04:30»
		«las imágenes pasan por imgproxy» || «las imágenes ya no pasan por imgproxy, es thumbor»
		«la contraseña tiene mínimo 8 caracteres» || «mínimo 12 caracteres para la contraseña»
		«el id de la app es com.acme.field» || «el id correcto de la app es com.acme.fieldwork»
		«el nivel de log en prod es info» || «nivel de log en prod: warn, info es demasiado»
		«el tenant de pruebas es t-1180» || «no t-1180, quise decir t-1810»
		«usa la región us-east-1» || «región eu-central-1, olvida us-east-1»
		«el secreto del webhook está en kv/hooks» || «el secreto del webhook se movió a kv/webhooks/prod»
		«hay 4 workers» || «en realidad son 6 workers»
		«lotes de 1000 filas» || «lotes de 250, 1000 filas revientan la memoria»
		«el idioma por defecto es es-ES» || «el idioma por defecto tiene que ser es-MX»
		«el verificador se llama fencepost» || «fencepost estaba mal, se llama gatepost»
		«el SMTP va por mail01» || «mail02 para SMTP, mail01 está retirado»
		«subidas de hasta 25 MB» || «ahora las subidas pueden ser de 40 MB»
		«el parser está en lib/parse.ts» || «está en lib/reader/parse.ts, no en lib/parse.ts»
		«el Safari más viejo es el 15» || «el Safari más viejo es ahora el 16»
		«la épica es PLAT-310» || «épica equivocada: PLAT-331»
		«la documentación se genera con mkdocs» || «cambiamos mkdocs por starlight»
		«el plan gratis tiene 3 proyectos» || «el plan gratis tiene 5 proyectos»
		«el health check es /healthz» || «el health check ahora es /livez»
		«staging usa el redis 10.0.4.12» || «el redis de staging es 10.0.4.21, bailé los números»
		«los precios en USD» || «los precios en EUR, no en USD»
		«la release es el 12 de mayo» || «la release se retrasa al 26 de mayo»
		«el bloqueo dura 10 segundos» || «que el bloqueo dure 25 segundos en vez de 10»
		«el grupo de admins es ops-admins» || «el grupo de admins se llama platform-admins, ops-admins ya no existe»
		«las tablas llevan el prefijo app_» || «el prefijo es core_ en su lugar»
		«tasa de muestreo 0.1» || «tasa de muestreo 0.25 desde ahora»
		«Ana aprueba los textos» || «no, Bea aprueba los textos, Ana está de baja»
	`,
	decisions: `
		«vamos con sqlite para el almacén local» || «nada de sqlite, cogemos leveldb para el almacén local»
		vale, «usamos server-sent events» || «he cambiado de idea: websockets, sin server-sent events»
		«decidido: un repo para los dos clientes» || «separamos los clientes otra vez, dos repos»
		«mantenemos el endpoint viejo una versión más» || «no mantengas el endpoint viejo, quítalo ya»
		«validación con zod» || «valibot en vez de zod»
		«renderizamos en el servidor» || «volvemos a renderizar en el cliente, el servidor va lento»
		«prefiero una tabla grande que cinco» || «serán cinco tablas, la tabla grande fue un error»
		«usamos date-fns» || «date-fns no, temporal»
		«autenticación con bearer tokens» || «cookies en vez de bearer tokens»
		«el asistente en tres pasos» || «haz el asistente en dos pasos, tres cansan»
		«eso lo hace un trigger en la base» || «sin trigger, eso lo hace la aplicación»
		«seguimos con jest» || «pasamos de jest a vitest»
		«de momento no hay plugins» || «al final sí hay plugins»
		«el editor guarda al salir» || «guardar cada 5 segundos en vez de al salir»
		«borrado lógico para clientes» || «borrado físico para clientes, lo pide legal»
		«elegimos protobuf» || «json en vez de protobuf, se depura mejor»
		«la base es el tema azul» || «la base es el tema oscuro, no el azul»
		«la lista se ordena por nombre» || «ordena la lista por fecha en lugar de por nombre»
		«los ids son ulids» || «uuidv7 para los ids, nada de ulids»
		«juntamos las páginas de ajustes» || «las páginas de ajustes se quedan separadas, no las juntes»
		«los adjuntos se guardan en la base» || «los adjuntos van al almacén de objetos, no a la base»
		«confirmación con modal» || «toast con deshacer en vez de modal»
		«nos quedamos con helm» || «kustomize, quitamos helm»
		«el worker se despliega aparte» || «worker y api se despliegan juntos otra vez»
		«las invitaciones caducan en una semana» || «las invitaciones no caducan nunca»
	`,
	takenBack: `
		«sin emojis en los mensajes de commit» || «ya puedes usar emojis en los mensajes de commit»
		«no ejecutes nunca la suite e2e» || «olvida lo de la suite e2e, puedes ejecutarla»
		«no toques el Dockerfile» || «ya puedes tocar el Dockerfile»
		«pregunta siempre antes de borrar un archivo» || «ya no hace falta preguntar antes de borrar un archivo»
		«funciones de menos de 30 líneas» || «lo de las 30 líneas por función ya no aplica»
	`,
	requests: `
		Arregla el fallo con el carrito vacío y añade un test.
		Mira por qué la segunda importación tarda tanto.
		El tooltip del gráfico se corta en pantallas pequeñas, arréglalo por favor.
		Renombra la función que formatea totales, el nombre confunde.
		Añade --json al comando report.
		Desde ayer sale una advertencia al compilar, averigua de dónde viene.
		Que el buscador conserve el texto al recargar.
	`,
	questions: `
		¿qué significa el segundo argumento?
		¿hay alguna razón para que el watcher haga polling?
		¿cuánto pesa el bundle ahora?
		¿por qué falló el primer intento?
		¿esto funciona con dos monitores?
	`,
	agreed: "Entendido:",
});
