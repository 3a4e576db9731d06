/** A user who writes Spanish in a hurry: rules in the middle of an order, half sentences, no accents, lists, and politeness. */
import { sceneWords } from "../scene-words.ts";

export const SPANISH_IN_PASSING = sceneWords({
	language: "Spanish in passing",
	rules: `
		el export csv rompe los acentos, arreglalo porfa, y «el orden de las columnas se queda igual, contabilidad importa por posicion»
		mira el test de subida que falla a veces. «en los tests ni un sleep, espera al evento»
		«en este repo no hacemos force push», por lo demas limpia la rama
		Te agradecería que «el texto de la página de pago quedara tal como lo escribió legal»; el diseño lo puedes tocar.
		añade el reintento al cliente (y «que no se registre el cuerpo de la peticion, lleva numeros de tarjeta»)
		«los mocks no me gustan, usa la bd real en los tests si se puede»
		arregla la cabecera en movil. ah y «la ipad vieja del almacen tiene que seguir funcionando, comprueba siempre a 768px»
		«estan mirando los costes de la nube asi que nada que levante instancias nuevas sin que yo lo sepa»
		tres cosas: renombra el job, quita la columna muerta y «de ahora en adelante las migraciones van en su propio PR»
		«¿Podrías contestar con frases normales en vez de tablas? Lo leo en el móvil.»
		«typescript sigue en strict aunque moleste»
		«Avísame antes de tocar auth.» El resto de la lista sin preguntar.
		«si no consigues reproducir un fallo dilo, no te inventes el arreglo»
		«mejor que reviente a que devuelva null»
		«usa los targets del makefile y no los comandos a pelo, CI hace lo mismo»
		para hoy:⏎1. el off-by-one de la paginacion⏎2. «la pagina nunca pasa de 100»⏎3. test para las dos cosas
		«no cambies la numeracion de los errores, soporte la tiene en sus plantillas»
		«si te salen mas de ~200 lineas consultame antes»
		«el codigo generado no se edita a mano»
		haz el backfill pero «por lotes para que la replica aguante, y asi con todos los backfill»
	`,
	corrections: `
		el importador lee los ficheros de «/srv/entrada/pedidos» || a ver, lo he mirado, «es /srv/buzon/pedidos, lo movieron en primavera»
		«el id de proveedor es 40721» en todas las llamadas de prueba || «id de proveedor 40712, baile de cifras»
		«de precios pregunta a Hanna» || «los precios desde hoy con Oskar, Hanna cambio de equipo»
		«el informe corre los lunes» || «que el informe sea los miercoles, los lunes no estan los datos»
		eso lo tenemos «en fly.io» || «fly.io descartado, va en nuestra maquina de hetzner»
		«miniaturas de 320 de ancho» || «miniaturas: 480 de ancho, a 320 se veian borrosas»
		«en el feed lo mas antiguo primero» || «lo mas nuevo primero en el feed por favor»
		«los ajustes en un panel lateral» || «al final sin panel lateral. pagina de ajustes normal»
		el topic de kafka es «shop.orders.raw» || «shop.orders.clean es el topic que queremos, raw tiene duplicados»
		«los enlaces de recuperacion valen un dia» || «enlaces de recuperacion 20 minutos, un dia es una locura»
		«la demo es el dia 14» || «la demo se adelanta al dia 11!»
		«Lea hace las capturas» || «Lea esta de baja, las capturas las hace Mirko»
		«maximo 5 intentos de acceso» || «10 intentos de acceso antes de bloquear, con 5 se quedo fuera medio departamento»
		«envio gratis desde 50 euros» || «desde esta semana envio gratis a partir de 39 euros»
		«staging esta en stage.brightcart.dev» || «staging vive en next.brightcart.dev, la de stage. esta muerta»
		«node 18 en la imagen de docker» || «imagen de docker con node 22, el 18 ya no tiene soporte»
		«el telefono es obligatorio» || «el telefono tiene que ser opcional»
		«los hashes con argon2» || «bcrypt para los hashes, argon2 no es fips»
		«las tarjetas regalo no se combinan» || «las tarjetas regalo si se pueden combinar»
		«tooltips al pasar el raton» || «tooltips al hacer clic, en tactil no hay raton»
		«la prueba dura 14 dias» || «prueba: ahora 21 dias»
		«el correo sale por postmark» || «el correo por ses. se acaba el contrato de postmark»
	`,
	decisions: "",
	takenBack: `
		«no hagas commits tu» || «a partir de ahora puedes hacer commits tu»
		«los estilos dejalos por ahora» || «ya puedes tocar los estilos»
		«explica cada paso antes de hacerlo» || «ya no hace falta que expliques cada paso»
		«enseñame siempre el diff primero» || «no hace falta que me enseñes mas el diff»
	`,
	requests: `
		vale, ahora la lista de pedidos: los cancelados salen dos veces, miralo
		haz la pagina de devoluciones con el mismo aspecto que la de pedidos
		la sincronizacion nocturna se paro otra vez a las 3. por que
		que el filtro recuerde lo que he elegido
		quita los imports que no se usan en esa carpeta
	`,
	questions: `
		¿qué diferencia hay entre esos dos hooks?
		¿por qué va más lento la segunda vez?
		¿eso también pasa por la caché?
		¿cuántas filas hay más o menos?
	`,
	agreed: "De acuerdo:",
});
